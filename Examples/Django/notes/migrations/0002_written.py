from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notes", "0001_initial")]
    operations = [migrations.AddField("Note", "written", models.DateTimeField(null=True))]
