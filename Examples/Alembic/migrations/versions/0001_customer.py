import sqlalchemy as sa
from alembic import op

revision = "0001_customer"
down_revision = None


def upgrade():
    op.create_table(
        "customer",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("phone", sa.String(40)),
    )
