"""What is copied: apart from the text while it is read, and as it is again."""

import pytest

from fa_jax.data.copies import masked, unmarked


@pytest.mark.parametrize(
    ("text", "copies"),
    [
        (
            "See https://a.example/x?y=1&z, or (www.b.org).",
            ["https://a.example/x?y=1&z", "www.b.org"],
        ),
        ("Mail tom.j+x@mail.example.com!", ["tom.j+x@mail.example.com"]),
        ("%s of %(name)s, %1$d and %.2f%", ["%s", "%(name)s", "%1$d", "%.2f"]),
        ("https://a.b/c_(d) (https://a.b/c_(d))", ["https://a.b/c_(d)"] * 2),
        ("https://a.bを見て。「www.a.b。」", ["https://a.bを見て", "www.a.b"]),
        ("{name}, {0} ${HOME} {{x}}", ["{name}", "{0}", "${HOME}", "{{x}}"]),
        ("Hi {{ user.name }}, {{ n | round }} {a b}!", ["{{ user.name }}", "{{ n | round }}"]),
        ("Type `ls -l *` or `` first; I`m, he`s", ["`ls -l *`"]),
        ("Both ``a `b`` and `Vec`s, ```c```", ["``a `b``", "`Vec`", "```c```"]),
        ("`a  b` 次は`&nbsp;`を \ue000", ["`a  b`", "`&nbsp;`", "\ue000"]),
        ("https://a.b/`c  d`", ["`c  d`", "https://a.b/`c  d`"]),
        (
            r"Open notes-1.txt in /usr/share, ~/me or C:\my\dir. v1.2 a.b.com",
            ["notes-1.txt", "/usr/share", "~/me", r"C:\my\dir", "v1.2", "a.b.com"],
        ),
        (r"@tom said @ann_1: #new, C#7\nYes.\t", ["@ann_1", "#new", r"\t"]),
        (
            "Ask +49 30 123456 or (+1 (555) 123-4567), not +5 or 1+2345678",
            ["+49 30 123456", "+1 (555) 123-4567"],
        ),
        ("I like .NET and (.bashrc)... .5 end.Then", [".NET", ".bashrc"]),
        ("![a cat](b_(1).png) ![] !(x)", ["![a cat](b_(1).png)"]),
        ("and/or, Mr.Smith e.g. I.do U.S.A", []),
        ("50% discount, 100 %, a@b, {a b} 3.5 I'm", []),
    ],
)
def test_what_is_no_language(text, copies):
    read, found = masked(text)
    assert found == copies
    assert unmarked(read, found) == text
