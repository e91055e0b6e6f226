import sqlalchemy as sa
from alembic import op

revision = "0002_invoice"
down_revision = "0001_customer"


def upgrade():
    op.create_table(
        "invoice",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("customer_id", sa.Integer, sa.ForeignKey("customer.id"), nullable=False),
        sa.Column("amount", sa.Numeric(10, 2), nullable=False),
    )
