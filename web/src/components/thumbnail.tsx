import { useState } from "preact/hooks";
import { thumbnailPath } from "../lib/pictures";
import { Icon } from "./icon";
import { pictures as text } from "../strings/pictures";

// Thumbnail shows a picture in a box whose size does not depend on it, so that nothing moves when it
// arrives. If the server has removed the thumbnail, the box contains an icon.
export function Thumbnail({ hash, alt }: { hash: string; alt: string }) {
  const [missing, setMissing] = useState("");
  if (missing === hash) {
    return (
      <span class="thumbnail missing" role="img" aria-label={alt} title={text.missing}>
        <Icon name="image" />
      </span>
    );
  }
  return <img class="thumbnail" src={thumbnailPath(hash)} alt={alt} width={320} height={320} loading="lazy" decoding="async" onError={() => setMissing(hash)} />;
}
