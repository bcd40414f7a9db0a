"""The paper's example, table and figures, their reproduction, and studies of what it leaves open.

Zarrabian, Ding, Sadeghi, Rakotoarivelo, "Enhancing Utility in the Watchdog Privacy Mechanism".
"""
