from django.db import migrations, models


def tell_titles_apart(apps, schema_editor):
    """Gives each note but the first of a title a number."""
    seen = {}
    for note in apps.get_model("notes", "Note").objects.order_by("id"):
        seen[note.title] = seen.get(note.title, 0) + 1
        if seen[note.title] > 1:
            note.title += f" ({seen[note.title]})"
            note.save()


class Migration(migrations.Migration):
    dependencies = [("notes", "0004_pinned")]
    operations = [
        migrations.RunPython(tell_titles_apart, migrations.RunPython.noop),
        migrations.AlterField("Note", "title", models.CharField(max_length=100, unique=True)),
    ]
