"""What tables and figures say, in Markdown."""
