-- Requests that a network has passed on from people: to delete the data of their accounts.
CREATE TABLE erasures (
	code text PRIMARY KEY, -- with which the person can see the status
	grant_hash bytea NOT NULL, -- empty once the data is deleted
	connected_at text NOT NULL,
	asked_at timestamptz NOT NULL, -- by the network's clock
	done_at timestamptz
);
