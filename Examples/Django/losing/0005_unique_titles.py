from django.db import migrations, models


def delete_duplicates(apps, schema_editor):
    """Deletes each note but the first of a title, whatever its body says."""
    Note = apps.get_model("notes", "Note")
    seen = set()
    for note in Note.objects.order_by("id"):
        if note.title in seen:
            note.delete()
        seen.add(note.title)


class Migration(migrations.Migration):
    dependencies = [("notes", "0004_pinned")]
    operations = [
        migrations.RunPython(delete_duplicates, migrations.RunPython.noop),
        migrations.AlterField("Note", "title", models.CharField(max_length=100, unique=True)),
    ]
