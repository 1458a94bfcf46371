-- What a network has asked for on behalf of a person: that the data of their accounts is deleted.
CREATE TABLE erasures (
	code text PRIMARY KEY, -- by which the person asks how far it is
	grant_hash bytea NOT NULL, -- empty when it is done
	connected_at text NOT NULL,
	asked_at timestamptz NOT NULL, -- by the network's clock
	done_at timestamptz
);
