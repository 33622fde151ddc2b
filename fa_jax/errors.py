"""The one exception that stands for a user's mistake, as opposed to a defect of ours."""


class UserError(Exception):
    """What is wrong and how to mend it, in words for the person at the keyboard.

    The command line prints the message without a traceback and exits with status 2.
    """
