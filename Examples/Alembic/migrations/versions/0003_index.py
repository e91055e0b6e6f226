from alembic import op

revision = "0003_index"
down_revision = "0002_invoice"


def upgrade():
    op.create_index("invoice_on_customer", "invoice", ["customer_id"])
