"""docs/walkthroughs/help_desk.md: its commands run, and what it says about the answers is true."""
import json

import texts
from walkthrough import Walkthrough, check

KINDS = ("expenses", "hardware", "network", "password", "printer")
INBOX = {
    "The copier on the ground floor has no paper left and blinks.": "printer",
    "My password was not accepted this morning.": "password",
    "Who approves my hotel bill for the trip to Oslo?": "expenses",
}

walk = Walkthrough("walkthroughs/help_desk.md", ["text"])


def write(name, requests):
    lines = [json.dumps({"text": text, "label": label}) for text, label in requests]
    (walk.folder / name).write_text("\n".join(lines) + "\n")


write("requests.jsonl", [(text, kind) for kind in KINDS for text in texts.to_learn(kind)])
write("checked.jsonl", [(text, kind) for kind in KINDS for text in texts.to_ask(kind)])
write("checked_with_phishing.jsonl", [(text, kind) for kind in (*KINDS, "phishing") for text in texts.to_ask(kind)])
(walk.folder / "inbox.txt").write_text("\n".join(INBOX) + "\n")
(walk.folder / "phishing.txt").write_text("\n".join(texts.to_learn("phishing")) + "\n")
write("monday.jsonl", [
    ("The tray of the copier is open and it does not print.", "printer"),
    ("I was charged twice for the taxi, how do I correct my expense report?", "network"),
    ("The wireless network at reception does not work.", "network"),
])
walk.run()

before = walk.accuracy("fearnet evaluate desk.brain checked.jsonl")
after = walk.accuracy("fearnet evaluate desk.brain checked_with_phishing.jsonl")
check(before >= 85, "the kinds are recognized", before)
check(after >= 85 and after >= before - 5, "a later kind does not lower the accuracy", before, after)
lines = walk.output("cat inbox.txt | fearnet predict desk.brain - --format jsonl")
answers = [json.loads(line) for line in lines]
check([a["label"] for a in answers] == list(INBOX.values()), "the stream is answered", answers)
known = walk.fearnet_json("evaluate", "desk.brain", "checked.jsonl")["accuracy"]
check(100 * known >= before - 5, "the kinds of the first day are known as before", before, known)
asked = walk.answers('fearnet predict desk.brain --text "Someone asks me by mail for my bank details, is that genuine?"')
check(list(asked.values()) in (["phishing"], ["unknown"]), "the new kind is recognized", asked)
