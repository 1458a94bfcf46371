-- Whether an image can be sent as a JPEG to networks that do not accept its format: it is not animated, and decoding it
-- needs little memory. How much memory the existing images need is unknown, but a PNG needs at most 16 bytes per pixel.
ALTER TABLE media ADD COLUMN convertible boolean NOT NULL DEFAULT false;

UPDATE media SET convertible = true
WHERE status = 'ready' AND mime IN ('image/png', 'image/webp') AND frames = 1 AND width::bigint * height < 12500000;
