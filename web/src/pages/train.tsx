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

// TrainPage is where an opinion monitor learns its categories: by posts that somebody puts into them.
export function TrainPage({ id }: { id: string }) {
  return <MonitorLayout id={id}>{(m, loaded, watch) => (m.type === "OPINION" ? <Teaching m={m} loaded={loaded} watch={watch} /> : <NoOpinion m={m} />)}</MonitorLayout>;
}

function NoOpinion({ m }: { m: Monitor }) {
  return (
    <EmptyState title="This monitor is not taught" actions={<Link class="button" href={`/monitors/${m.id}`}>To the overview</Link>}>
      Only opinion monitors have categories of their own that are taught by examples.
    </EmptyState>
  );
}

type Tab = "sort" | "posts" | "model";

// useModel tells how far the model is, and watches it while it learns.
function useModel(id: string, watch: () => void): LoadState<Model> {
  const loaded = useLoad(`model ${id}`, () => loadModel(id));
  useInterval(loaded.data?.state === "learning" ? 1500 : 0, () => {
    loaded.reload();
    watch();
  });
  return loaded;
}

function Teaching({ m, loaded, watch }: { m: Monitor; loaded: LoadState<Monitor>; watch: () => void }) {
  const [query, change] = useQuery();
  const id = String(m.id);
  const model = useModel(id, watch);
  const changed = () => {
    loaded.reload();
    model.reload();
  };
  const show = (["posts", "model"].includes(query.get("show") ?? "") ? query.get("show") : "sort") as Tab;
  return (
    <>
      <div class="row" style={{ marginBottom: "1rem" }}>
        <SegmentedControl
          label="Part of this page"
          value={show}
          options={[
            { value: "sort", name: "Sort posts" },
            { value: "posts", name: "Training posts" },
            { value: "model", name: "Model" },
          ]}
          onChange={(part) => change({ show: part === "sort" ? null : part })}
        />
      </div>
      {model.error && !model.data && <ErrorNotice error={model.error} retry={model.reload} />}
      {show === "sort" && <Categorize m={m} model={model.data} onChange={changed} />}
      {show === "posts" && <Trained m={m} model={model.data} onChange={changed} />}
      {show === "model" && <About m={m} model={model.data} />}
    </>
  );
}

// Categorize deals posts to be put into categories. A new model deals others.
function Categorize({ m, model, onChange }: { m: Monitor; model: Model | undefined; onChange: () => void }) {
  const deck = useDeck(String(m.id), onChange);
  const [minTraining, setMinTraining] = useState(10);
  useEffect(() => {
    choices().then((c) => setMinTraining(c.limits.leastTraining), () => {});
  }, []);
  const learnt = useRef(model?.learntAt);
  useEffect(() => {
    if (model && learnt.current !== undefined && model.learntAt !== learnt.current) deck.renew();
    if (model) learnt.current = model.learntAt;
  }, [model?.learntAt]);
  if (m.categories.length === 0)
    return (
      <EmptyState title="There are no categories" actions={<Link class="button" href={`/monitors/${m.id}/edit`}>To the settings</Link>}>
        Name at least two categories first.
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

// Trained lists the training posts.
function Trained({ m, model, onChange }: { m: Monitor; model: Model | undefined; onChange: () => void }) {
  const { data, error, reload } = useLoad(`training ${m.id}`, () => loadTraining(String(m.id)));
  const changed = () => {
    reload();
    onChange();
  };
  if (error && !data) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="20rem" />;
  return <TrainingPosts m={m} posts={data} doubts={model?.report?.disagreements ?? []} onChange={changed} />;
}

// About says what the model is worth, and what it tells.
function About({ m, model }: { m: Monitor; model: Model | undefined }) {
  if (!model) return <Skeleton height="20rem" />;
  return (
    <div class="stack">
      <ModelState model={model} />
      {model.report && <Shares m={m} version={model.learntAt ?? ""} />}
      <ModelReport model={model} file={`monitor-${m.id}-model`} />
    </div>
  );
}
