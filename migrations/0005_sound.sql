-- What networks bound of a video's sound beside how it is written; 0 is unknown.
ALTER TABLE media
    ADD COLUMN audio_rate     integer NOT NULL DEFAULT 0, -- samples a second
    ADD COLUMN audio_channels integer NOT NULL DEFAULT 0;
