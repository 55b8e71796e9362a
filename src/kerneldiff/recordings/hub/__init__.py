"""The same recording on Hugging Face's GPUs: one Job, whose traces come back through a private dataset.

Files by what they do: ``client`` is the one that calls ``huggingface_hub``; ``wheel`` and ``parcel`` make what travels;
``bootstrap`` and ``worker`` run inside the Job; ``waiting`` follows it; ``results`` reads what came back.
"""
