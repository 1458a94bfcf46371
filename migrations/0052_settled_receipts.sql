-- The greatest step id of the receipts that a confirmed restore has settled. The ledger lacks the calls of some of them
-- for ever, so without this row, the next start would hold publishing again.
CREATE TABLE settled_receipts (
	one_row boolean PRIMARY KEY DEFAULT true CHECK (one_row),
	step_id bigint NOT NULL
);

-- Later calls have greater step ids, while armed_at is the time of the first call.
ALTER TABLE restored_receipts ADD COLUMN step_id bigint NOT NULL DEFAULT 0;
ALTER TABLE restored_copies ADD COLUMN step_id bigint NOT NULL DEFAULT 0;
