"""The pure core of the memory: values and functions over them, standard library only."""
