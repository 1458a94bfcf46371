-- Stored bytes that no file names are looked for once a day, by one replica, slice by slice.
CREATE TABLE blob_sweep (
	single boolean PRIMARY KEY DEFAULT true CHECK (single), -- there is one row
	after_key text NOT NULL DEFAULT '',                 -- the last key that was looked at
	next_at timestamptz NOT NULL
);
INSERT INTO blob_sweep (next_at) VALUES ('-infinity'); -- due at once
