-- Properties of a video's sound, besides its codec, that networks limit; 0 means unknown.
ALTER TABLE media
    ADD COLUMN audio_rate     integer NOT NULL DEFAULT 0, -- samples per second
    ADD COLUMN audio_channels integer NOT NULL DEFAULT 0;
