import sqlalchemy as sa
from alembic import op

revision = "0005_phone"
down_revision = "0004_note"


def upgrade():
    op.create_table(
        "phone",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("customer_id", sa.Integer, sa.ForeignKey("customer.id"), nullable=False),
        sa.Column("number", sa.String(40), nullable=False),
    )
    op.execute("INSERT INTO phone(customer_id, number) SELECT id, phone FROM customer WHERE phone IS NOT NULL")
