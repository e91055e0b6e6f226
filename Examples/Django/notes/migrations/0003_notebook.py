import django.db.models.deletion
from django.db import migrations, models


def put_into_a_notebook(apps, schema_editor):
    Note, Notebook = apps.get_model("notes", "Note"), apps.get_model("notes", "Notebook")
    if Note.objects.exists():
        Note.objects.update(notebook=Notebook.objects.create(name="Notes"))


class Migration(migrations.Migration):
    dependencies = [("notes", "0002_written")]
    operations = [
        migrations.CreateModel(
            "Notebook",
            [
                ("id", models.BigAutoField(primary_key=True)),
                ("name", models.CharField(max_length=100)),
            ],
        ),
        migrations.AddField(
            "Note",
            "notebook",
            models.ForeignKey("notes.Notebook", null=True, on_delete=django.db.models.deletion.CASCADE),
        ),
        migrations.RunPython(put_into_a_notebook, migrations.RunPython.noop),
        migrations.AlterField(
            "Note",
            "notebook",
            models.ForeignKey("notes.Notebook", on_delete=django.db.models.deletion.CASCADE),
        ),
    ]
