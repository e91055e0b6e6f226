import os
import pathlib

BASE_DIR = pathlib.Path(__file__).resolve().parent.parent

SECRET_KEY = "an example"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "notes"]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        # `drydock verify` sets the variable to the path of a private copy.
        "NAME": os.environ.get("DRYDOCK_DATABASE", BASE_DIR / "db.sqlite3"),
    }
}
