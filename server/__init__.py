"""What the web server answers beside the pages, and how it answers at all."""
