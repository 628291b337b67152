# %% [markdown]
# # Ten digits, one after another
# FearNet learns five digits and then one more at a time. Its training examples are deleted whenever it sleeps. Run this
# file as a program or, cell by cell, as a notebook.

# %%
import sys
import tempfile
from pathlib import Path

import numpy as np

import fearnet

try:
    from sklearn.datasets import load_digits
except ImportError:
    print("skipped: the digits come with scikit-learn; apt-get install python3-sklearn")
    sys.exit(77)

x, y = load_digits(return_X_y=True)
x = x.astype(np.float32)
held_out = np.arange(len(x)) % 4 == 0
x_train, y_train, x_test, y_test = x[~held_out], y[~held_out], x[held_out], y[held_out]
settings = {**fearnet.settings_for_width(64), "network.hidden": [64, 48]}

# %% [markdown]
# The first session teaches the base classes. Every later session brings one new digit, which need not be declared
# before. FearNet sleeps after every third session.

# %%
classifier = fearnet.FearNetClassifier("fearnet", settings=settings, sleep_every=3)
base = y_train < 5
classifier.partial_fit(x_train[base], y_train[base])
for digit in range(5, 10):
    classifier.partial_fit(x_train[y_train == digit], y_train[y_train == digit])
    seen = y_test <= digit
    accuracy = classifier.score(x_test[seen], y_test[seen])
    kept = classifier.sessions_since_sleep_
    print(f"digits 0 to {digit}: {accuracy:.3f} right; {kept} sessions in the recent memory")

# %% [markdown]
# Explain predictions: which memory made them, and the router's probability that the digit is a recent one.

# %%
told = classifier.explain(x_test[y_test == 9][:3])
for i in range(3):
    print(told["label"][i], "from the", told["memory"][i], "memory; router", round(float(told["router"][i]), 3))

# %% [markdown]
# Sleep consolidates the recent digits into the network and deletes their examples. The classifier is then saved to a
# file.

# %%
classifier.sleep()
accuracy = classifier.score(x_test, y_test)
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "digits.brain"
    classifier.save(file)
    print(f"after sleep: {accuracy:.3f} right; {file.stat().st_size // 1024} KiB on disk")
    assert (fearnet.FearNetClassifier.load(file).predict(x_test) == classifier.predict(x_test)).all()

# %% [markdown]
# Evaluate with the paper's protocol on the same data. An Omega of 1 means as accurate as a network that was trained on
# all digits at once.

# %%
result = fearnet.evaluate_stream(x_train, y_train, x_test, y_test, settings=settings, sleep_every=3)
print(f"omega base {result.omega_base:.3f}, new {result.omega_new:.3f}, all {result.omega_all:.3f}")
assert accuracy > 0.85 and result.omega_all > 0.85
