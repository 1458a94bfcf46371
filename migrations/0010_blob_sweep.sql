-- Once a day, one replica searches for stored bytes to which no file refers, in batches.
CREATE TABLE blob_sweep (
	single boolean PRIMARY KEY DEFAULT true CHECK (single), -- there is only one row
	after_key text NOT NULL DEFAULT '',                 -- the last key that was checked
	next_at timestamptz NOT NULL
);
INSERT INTO blob_sweep (next_at) VALUES ('-infinity'); -- due immediately
