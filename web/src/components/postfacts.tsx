import { categoryColor, shortCategory } from "../lib/color";
import { genderNames, languageName } from "../lib/format";
import { safeHref } from "../lib/href";
import { useDark } from "../lib/theme";
import type { Correcting } from "../lib/correction";
import type { ShownPost } from "../lib/post";
import { CorrectMenu } from "./correctmenu";
import { Pickable, type PickHandler } from "./pickable";
import { common } from "../strings/common";

interface Props {
  post: ShownPost;
  onPick?: PickHandler;
}

// PostFacts shows the engagement of a post and its attributes: sentiment, location, language, gender
// of the author, hashtags, interests and images.
export function PostFacts({ post, onPick, scores, correcting, zone }: Props & { scores: boolean; correcting?: Correcting; zone?: string }) {
  return (
    <>
      <PostEngagement post={post} />
      {scores && <Sentiment post={post} onPick={onPick} correcting={correcting} zone={zone} />}
      <Demographics post={post} onPick={onPick} />
      {(post.hashtags ?? []).map((tag) => (
        <Pickable key={tag} class="small break" onPick={onPick} field="hashtag" value={tag}>
          #{tag}
        </Pickable>
      ))}
      {(post.interests ?? []).map((i) => (
        <Pickable key={`i${i.id}`} class="small" onPick={onPick} field="interest" value={String(i.id)} title={common.postCard.inferred(i.author ? common.postCard.authorInterest : common.words.interest)}>
          {i.name}
        </Pickable>
      ))}
      {post.imageInfo.map((image) => (
        <ImageLabels key={image.url} image={image} onPick={onPick} />
      ))}
    </>
  );
}

// Sentiment shows the sentiment of a post, or its category in an opinion monitor, and its emotion.
// Labels tell them apart: a post can be neutral in both. With correcting, they can be corrected.
function Sentiment({ post, onPick, correcting, zone }: Props & { correcting?: Correcting; zone?: string }) {
  const dark = useDark();
  const category = post.categoryScores.findIndex((s) => s.categoryId === post.assignedCategoryId);
  const name = shortCategory(post.categoryScores[category]?.categoryName ?? "");
  const isSentiment = post.categoryScores[category]?.categoryName.startsWith("Basic ");
  const label = isSentiment ? common.words.sentiment : common.words.category;
  const emotion = post.emotionScores.findIndex((s) => s.emotionId === post.assignedEmotionId);
  const lower = (name: string) => shortCategory(name).toLowerCase();
  return (
    <>
      {category >= 0 && (
        <span class="row nowrap-row fact">
          <Pickable class="badge" onPick={onPick} field={isSentiment ? "sentiment" : "category"} value={isSentiment ? name.toLowerCase() : String(post.assignedCategoryId)} title={label}>
            <span class="dot" style={{ background: categoryColor(post.categoryScores[category].categoryName, category, dark) }} />
            {common.postCard.labeled(label, name)}
          </Pickable>
          {correcting && (
            <CorrectMenu
              field={isSentiment ? "sentiment" : "category"}
              label={label}
              options={post.categoryScores.map((s) => ({ value: isSentiment ? lower(s.categoryName) : String(s.categoryId), name: shortCategory(s.categoryName) }))}
              current={isSentiment ? lower(name) : String(post.assignedCategoryId)}
              correcting={correcting}
              zone={zone}
            />
          )}
        </span>
      )}
      {emotion >= 0 && (
        <span class="row nowrap-row fact">
          <Pickable class="badge" onPick={onPick} field="emotion" value={post.emotionScores[emotion].emotionName.toLowerCase()} title={common.words.emotion}>
            <span class="dot" style={{ background: categoryColor(post.emotionScores[emotion].emotionName, emotion, dark, "emotion") }} />
            {common.postCard.labeled(common.words.emotion, post.emotionScores[emotion].emotionName)}
          </Pickable>
          {correcting && (
            <CorrectMenu
              field="emotion"
              label={common.words.emotion}
              options={post.emotionScores.map((s) => ({ value: lower(s.emotionName), name: s.emotionName }))}
              current={lower(post.emotionScores[emotion].emotionName)}
              correcting={correcting}
              zone={zone}
            />
          )}
        </span>
      )}
    </>
  );
}

// Demographics shows the location and language of a post and the gender of its author. Titles mark
// inferred values.
function Demographics({ post, onPick }: Props) {
  const titleOf = (attribute: string, name: string) => (post.inferred?.includes(attribute) ? common.postCard.inferred(name) : name);
  const place = post.geolocation;
  return (
    <>
      {place && (
        <Pickable class="small break" onPick={onPick} field="geolocation" value={place.id} title={titleOf("place", common.words.location)}>
          {place.id === place.country ? place.name : `${place.name}, ${post.countryName ?? place.country}`}
        </Pickable>
      )}
      {post.language && (
        <Pickable class="small" onPick={onPick} field="language" value={post.language} title={titleOf("language", common.words.language)}>
          {languageName(post.language)}
        </Pickable>
      )}
      {post.authorGender && (
        <Pickable class="small" onPick={onPick} field="gender" value={post.authorGender} title={titleOf("gender", common.words.gender)}>
          {genderNames[post.authorGender] ?? post.authorGender}
        </Pickable>
      )}
    </>
  );
}

// PostEngagement shows how often a post was liked, shared and so on, without numbers that are zero or
// unknown.
function PostEngagement({ post }: { post: ShownPost }) {
  const stated = (["likes", "shares", "comments", "replies", "retweets"] as const).filter((kind) => post[kind]);
  if (stated.length === 0) return null;
  return (
    <ul class="row reactions small num" aria-label={common.words.engagement}>
      {stated.map((kind) => (
        <li key={kind}>{common.postCard[kind](post[kind]!)}</li>
      ))}
    </ul>
  );
}

// ImageLabels shows the objects and logos in an image. It only links to the image, because pages
// load nothing from other hosts.
function ImageLabels({ image, onPick }: { image: ShownPost["imageInfo"][number]; onPick?: PickHandler }) {
  const href = safeHref(image.url);
  return (
    <span class="row post-picture small">
      {href ? (
        <a href={href} target="_blank" rel="noreferrer noopener">
          {common.postCard.image}
        </a>
      ) : (
        <span class="muted">{common.postCard.image}</span>
      )}
      {(image.objects ?? []).map((o) => (
        <Pickable key={`o${o.classId}`} class="badge" onPick={onPick} field="image" value={String(o.classId)} title={common.postCard.imageContent}>
          {o.className}
        </Pickable>
      ))}
      {(image.brands ?? []).map((b) => (
        <Pickable key={`b${b.brandId}`} class="badge" onPick={onPick} field="brand" value={b.brandId} title={common.postCard.imageLogo}>
          {b.brand}
        </Pickable>
      ))}
    </span>
  );
}
