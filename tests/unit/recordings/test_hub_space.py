"""The Docker Space keeps the rules of Dev Mode: https://huggingface.co/docs/hub/spaces-dev-mode."""

import re
from pathlib import Path

import pytest

SPACE = Path(__file__).parents[3] / "spaces" / "devmode"


@pytest.fixture(scope="module")
def dockerfile():
    return (SPACE / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.parametrize("package", ["bash", "curl", "wget", "procps", "git", "git-lfs"])
def test_image_installs_what_ssh_and_vs_code_need(dockerfile, package):
    installed = re.search(r"apt-get install(.*)", dockerfile)[1].split()

    assert package in installed


def test_code_is_in_app_and_belongs_to_the_user_of_the_space(dockerfile):
    assert "WORKDIR /app" in dockerfile
    assert "chown --recursive 1000 /app" in dockerfile
    assert dockerfile.index("--uid 1000") < dockerfile.index("USER 1000") < dockerfile.index("CMD [")


def test_page_is_served_where_the_space_says(dockerfile):
    card = dict(
        line.split(": ", 1) for line in (SPACE / "README.md").read_text("utf-8").split("---")[1].strip().splitlines()
    )

    assert card["sdk"] == "docker"
    assert f'"{card["app_port"]}"' in dockerfile
    assert f"EXPOSE {card['app_port']}" in dockerfile
    assert len(card["short_description"]) <= 60
