"""The load that speed is measured on."""
