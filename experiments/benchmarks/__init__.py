"""What is measured, by name. To add one: a file here and a row of this table."""

BENCHMARKS = {
    "training_memory": "how much memory do the papers' word models take in training?",
    "attention_step": "from which sentence length does scoring the windows alone pay?",
    "long_sentences": "does the cost of a step follow the window or the sentence?",
    "score_costs": "do windows pay under every score?",
    "search_compilation": "how long does a user wait for the compiler?",
    "translate_command": "how long does it take to translate 1,000 lines, from start to end?",
    "serving": "does a server keep up with batch translation, and does it stay small?",
    "search_throughput": "how near is a beam search to this machine's best?",
    "training_length": "does a step of training on long text cost what its windows cost?",
    "training_throughput": "how near is training to this machine's best?",
    "accelerator_programs": "do programs compile for accelerators, and do they fit there?",
}
