-- Whether the current claim is making the publishing call. Until the call returns, its outcome is not in doubt.
ALTER TABLE publications ADD COLUMN calling boolean NOT NULL DEFAULT false;
