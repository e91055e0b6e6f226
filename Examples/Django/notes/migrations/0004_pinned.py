from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notes", "0003_notebook")]
    operations = [migrations.AddField("Note", "pinned", models.BooleanField(default=False))]
