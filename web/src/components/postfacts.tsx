import { categoryColor, shortCategory } from "../lib/color";
import { genderNames, languageName, number } from "../lib/format";
import { safeHref } from "../lib/href";
import { useDark } from "../lib/theme";
import type { ShownPost } from "../lib/post";
import { Pickable, type PickHandler } from "./pickable";

interface Props {
  post: ShownPost;
  onPick?: PickHandler;
}

// PostFacts are what is known of a post: how it feels, where it was written and by whom, what its pictures show.
export function PostFacts({ post, onPick, scores }: Props & { scores: boolean }) {
  return (
    <>
      {scores && <Sentiment post={post} onPick={onPick} />}
      <Demographics post={post} onPick={onPick} />
      <Counters post={post} />
      {(post.hashtags ?? []).map((tag) => (
        <Pickable key={tag} class="small break" onPick={onPick} field="hashtag" value={tag}>
          #{tag}
        </Pickable>
      ))}
      {post.imageInfo.map((image) => (
        <ImageLabels key={image.url} image={image} onPick={onPick} />
      ))}
    </>
  );
}

// Sentiment are the category and the emotion that the post was sorted into.
function Sentiment({ post, onPick }: Props) {
  const dark = useDark();
  const category = post.categoryScores.findIndex((s) => s.categoryId === post.assignedCategoryId);
  const emotion = post.emotionScores.findIndex((s) => s.emotionId === post.assignedEmotionId);
  return (
    <>
      {category >= 0 && (
        <Pickable class="badge" onPick={onPick} field="category" value={String(post.assignedCategoryId)} title="Category">
          <span class="dot" style={{ background: categoryColor(post.categoryScores[category].categoryName, category, dark) }} />
          {shortCategory(post.categoryScores[category].categoryName)}
        </Pickable>
      )}
      {emotion >= 0 && (
        <Pickable class="badge" onPick={onPick} field="category" value={String(post.assignedEmotionId)} title="Emotion">
          <span class="dot" style={{ background: categoryColor(post.emotionScores[emotion].emotionName, emotion, dark, "emotion") }} />
          {post.emotionScores[emotion].emotionName}
        </Pickable>
      )}
    </>
  );
}

// Demographics are the place, the language and the gender of the author.
function Demographics({ post, onPick }: Props) {
  const guessed = (what: string) => (post.inferred?.includes(what) ? ", as a model tells" : "");
  const place = post.geolocation;
  return (
    <>
      {place && (
        <Pickable class="small break" onPick={onPick} field="geolocation" value={place.id} title={`Place${guessed("place")}`}>
          {place.id === place.country ? place.name : `${place.name}, ${place.country}`}
        </Pickable>
      )}
      {post.language && (
        <Pickable class="small" onPick={onPick} field="language" value={post.language} title={`Language${guessed("language")}`}>
          {languageName(post.language)}
        </Pickable>
      )}
      {post.authorGender && (
        <Pickable class="small" onPick={onPick} field="gender" value={post.authorGender} title={`Gender${guessed("gender")}`}>
          {genderNames[post.authorGender] ?? post.authorGender}
        </Pickable>
      )}
    </>
  );
}

// Counters are how often others liked, shared and commented.
function Counters({ post }: { post: ShownPost }) {
  const counts = [
    { name: "likes", one: "like", n: post.likes },
    { name: "shares", one: "share", n: post.shares },
    { name: "comments", one: "comment", n: post.comments },
  ];
  return (
    <>
      {counts.map((c) =>
        c.n ? (
          <span key={c.name} class="small muted num">
            {number(c.n)} {c.n === 1 ? c.one : c.name}
          </span>
        ) : null,
      )}
    </>
  );
}

// ImageLabels says what an image shows. The image itself is on a foreign host and is only linked to.
function ImageLabels({ image, onPick }: { image: ShownPost["imageInfo"][number]; onPick?: PickHandler }) {
  const href = safeHref(image.url);
  return (
    <span class="row post-picture small">
      {href ? (
        <a href={href} target="_blank" rel="noreferrer noopener">
          Picture
        </a>
      ) : (
        <span class="muted">Picture</span>
      )}
      {(image.objects ?? []).map((o) => (
        <Pickable key={`o${o.classId}`} class="badge" onPick={onPick} field="image" value={String(o.classId)} title="What the picture shows">
          {o.className}
        </Pickable>
      ))}
      {(image.brands ?? []).map((b) => (
        <Pickable key={`b${b.brandId}`} class="badge" onPick={onPick} field="brand" value={b.brandId} title="Logo in the picture">
          {b.brand}
        </Pickable>
      ))}
    </span>
  );
}
