"""The Home tab: one person's page, what they press there, their own data, what admins oversee."""
