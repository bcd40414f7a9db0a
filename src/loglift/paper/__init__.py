"""The paper's example, table and figures, and their reproduction.

Zarrabian, Ding, Sadeghi, Rakotoarivelo, "Enhancing Utility in the Watchdog Privacy Mechanism".
"""
