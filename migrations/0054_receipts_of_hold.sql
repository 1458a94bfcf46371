-- While receipts_read is false, the hold lacks older receipts, and an operator cannot end it.
ALTER TABLE publishing_hold ADD COLUMN receipts_read boolean NOT NULL DEFAULT true;
