from django.db import models


class Notebook(models.Model):
    name = models.CharField(max_length=100)


class Note(models.Model):
    notebook = models.ForeignKey(Notebook, on_delete=models.CASCADE)
    title = models.CharField(max_length=100, unique=True)
    body = models.TextField(blank=True)
    pinned = models.BooleanField(default=False)
    written = models.DateTimeField(null=True)
