import { useEffect, useRef, useState } from "preact/hooks";
import { choices } from "../lib/choices";
import { useInterval, useLoad, type LoadState } from "../lib/load";
import { Link, useQuery } from "../lib/router";
import type { Model, Monitor } from "../lib/types";
import { EmptyState, ErrorNotice, SegmentedControl, Skeleton } from "../components/basics";
import { MonitorLayout } from "../components/monitorlayout";
import { Cards } from "./train/cards";
import { loadModel, loadTraining } from "./train/data";
import { useDeck } from "./train/deck";
import { ModelReport } from "./train/report";
import { Shares } from "./train/shares";
import { TrainingStatus, ModelState } from "./train/trainingstatus";
import { TrainingPosts } from "./train/trainingposts";
import { train } from "../strings/train";

// TrainPage trains the categories of an opinion monitor with posts that people label.
export function TrainPage({ id }: { id: string }) {
  return <MonitorLayout id={id}>{(m, loaded, watch) => (m.type === "OPINION" ? <Training m={m} loaded={loaded} watch={watch} /> : <NotOpinion m={m} />)}</MonitorLayout>;
}

function NotOpinion({ m }: { m: Monitor }) {
  return (
    <EmptyState title={train.notOpinionTitle} actions={<Link class="button" href={`/monitors/${m.id}`}>{train.goToOverview}</Link>}>
      {train.notOpinionText}
    </EmptyState>
  );
}

type Tab = "label" | "posts" | "model";

// useModel loads the model, and polls it while it trains.
function useModel(id: string, watch: () => void): LoadState<Model> {
  const loaded = useLoad(`model ${id}`, () => loadModel(id));
  useInterval(loaded.data?.state === "learning" ? 1500 : 0, () => {
    loaded.reload();
    watch();
  });
  return loaded;
}

function Training({ m, loaded, watch }: { m: Monitor; loaded: LoadState<Monitor>; watch: () => void }) {
  const [query, change] = useQuery();
  const id = String(m.id);
  const model = useModel(id, watch);
  const changed = () => {
    loaded.reload();
    model.reload();
  };
  const show = (["posts", "model"].includes(query.get("show") ?? "") ? query.get("show") : "label") as Tab;
  return (
    <>
      <div class="row" style={{ marginBottom: "1rem" }}>
        <SegmentedControl
          label={train.views}
          value={show}
          options={[
            { value: "label", name: train.labelPosts },
            { value: "posts", name: train.trainingPosts },
            { value: "model", name: train.model },
          ]}
          onChange={(tab) => change({ show: tab === "label" ? null : tab })}
        />
      </div>
      {model.error && !model.data && <ErrorNotice error={model.error} retry={model.reload} />}
      {show === "label" && <LabelTab m={m} model={model.data} onChange={changed} />}
      {show === "posts" && <PostsTab m={m} model={model.data} onChange={changed} />}
      {show === "model" && <ModelTab m={m} model={model.data} />}
    </>
  );
}

// LabelTab shows posts to label. When a new model is ready, it loads new suggestions.
function LabelTab({ m, model, onChange }: { m: Monitor; model: Model | undefined; onChange: () => void }) {
  const deck = useDeck(String(m.id), onChange);
  const [minTraining, setMinTraining] = useState(10);
  useEffect(() => {
    choices().then((c) => setMinTraining(c.limits.leastTraining), () => {});
  }, []);
  const trainedAt = useRef(model?.trainedAt);
  useEffect(() => {
    if (model && trainedAt.current !== undefined && model.trainedAt !== trainedAt.current) deck.renew();
    if (model) trainedAt.current = model.trainedAt;
  }, [model?.trainedAt]);
  if (m.categories.length === 0)
    return (
      <EmptyState title={train.noCategoriesTitle} actions={<Link class="button" href={`/monitors/${m.id}/edit`}>{train.goToSettings}</Link>}>
        {train.noCategoriesText}
      </EmptyState>
    );
  return (
    <div class="columns">
      <div class="c8">
        <Cards m={m} deck={deck} />
      </div>
      <div class="c4">
        <TrainingStatus m={m} model={model} minTraining={minTraining} />
      </div>
    </div>
  );
}

// PostsTab lists the training posts.
function PostsTab({ m, model, onChange }: { m: Monitor; model: Model | undefined; onChange: () => void }) {
  const { data, error, reload } = useLoad(`training ${m.id}`, () => loadTraining(String(m.id)));
  const changed = () => {
    reload();
    onChange();
  };
  if (error && !data) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="20rem" />;
  return <TrainingPosts m={m} posts={data} disagreements={model?.report?.disagreements ?? []} onChange={changed} />;
}

// ModelTab shows how good the model is, and the category shares it estimates.
function ModelTab({ m, model }: { m: Monitor; model: Model | undefined }) {
  if (!model) return <Skeleton height="20rem" />;
  return (
    <div class="stack">
      <ModelState model={model} />
      {model.report && <Shares m={m} version={model.trainedAt ?? ""} />}
      <ModelReport model={model} file={`monitor-${m.id}-model`} />
    </div>
  );
}
