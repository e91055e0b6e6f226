import sqlalchemy as sa
from alembic import op

revision = "0004_note"
down_revision = "0003_index"


def upgrade():
    with op.batch_alter_table("customer") as batch:
        batch.add_column(sa.Column("note", sa.Text, nullable=False, server_default=""))
        batch.alter_column("name", type_=sa.String(200))
