"""Makes a directory that Hugging Face's loaders take for a tokenizer, without the internet.

usage: make_tokenizer.py DIR, with words on stdin. A byte-level BPE: any text survives a round trip,
and each of the words is one token, as the engine counts them, so that no two counts differ.
"""

import json
import sys
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

END = "<|end|>"
# A full stop that ends a line is one token of the engine's replies.
PIECES = r"\.\n| ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s"
CHAT_TEMPLATE = "{% for message in messages %}{{ message['content'] }}\n{% endfor %}"


def trained(words):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECES), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    forms = [form for word in words for form in (word, word.capitalize())]
    # Far more merges than so few words have: each ends as one token, with and without its blank.
    trainer = trainers.BpeTrainer(
        vocab_size=50_000,
        min_frequency=1,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=[AddedToken(END, special=True)],
        show_progress=False,
    )
    texts = [text for form in forms for text in (form, " " + form)]
    tokenizer.train_from_iterator([*texts, ".\n"], trainer)
    return tokenizer


def main(directory):
    directory.mkdir(parents=True, exist_ok=True)
    trained(sys.stdin.read().split()).save(str(directory / "tokenizer.json"))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": END,
        "pad_token": END,
        "model_max_length": 131072,
        "clean_up_tokenization_spaces": False,
        "chat_template": CHAT_TEMPLATE,
    }
    (directory / "tokenizer_config.json").write_text(json.dumps(config, indent=2))
    # Some loaders ask which model it belongs to.
    (directory / "config.json").write_text(json.dumps({"model_type": "gpt2"}))


main(Path(sys.argv[1]))
