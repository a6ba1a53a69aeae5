// Strings of the Uploads page.
import { number, plural } from "../lib/format";

const documents = (n: number) => plural(n, "document");
const rows = (n: number) => plural(n, "row");

export const uploads = {
  lead: "Your own documents, for example survey responses or support tickets, alongside posts from social networks.",
  liveSources: "Add a live source to collect posts automatically.",
  noPermission: "Uploads require the “Sources and uploads” permission. Ask an administrator for it.",
  needsTeam: "Content sources belong to teams.",
  usage: (uploaded: number, limit: number) =>
    `${limit ? `${number(uploaded)} of ${documents(limit)}` : documents(uploaded)} uploaded in the last 24 hours`,

  // Content sources
  contentSources: "Content sources",
  sourceList: "List of content sources",
  documents: "Documents",
  domain: "Kind of texts",
  domainOf: (source: string) => `Kind of texts in ${source}`,
  domains: { social: "Social media", news: "News", reviews: "Reviews", forums: "Forums", survey: "Survey", other: "Other" } as Record<string, string>,
  domainGuess: "Guess from the texts",
  domainGuessed: (domain: string) => `${domain} (guessed)`,
  domainChanged: (source: string) => `Changed ${source}. Its documents keep their sentiment until an administrator runs the models again.`,
  actions: "Actions",
  loadingSources: "Loading content sources",
  noSourcesTitle: (team: string) => `${team} has no content sources yet`,
  noSourcesText: "A content source holds documents of one kind. Create one, then upload a file to it.",
  newSource: "New content source",
  nameHint: (team: string) => `Monitors of ${team} can select the source by this name.`,
  deleteSource: (count: number) => (count ? `Delete source and ${documents(count)}` : "Delete source"),
  deleteSourceText: (count: number) =>
    `${count ? `This also deletes its ${documents(count)}, and removes them from the monitors that matched them.` : "The source has no documents."} This cannot be undone.`,

  // Choosing a file
  uploadFile: "Upload a file",
  uploadTo: "Upload to",
  encoding: "Text encoding",
  encodings: { "utf-8": "UTF-8", "windows-1252": "Western European (Windows)", "utf-16le": "UTF-16" },
  file: "File with documents",
  chooseFile: "Choose file",
  chooseAnother: "Choose another file",
  dropHere: "or drop it here: CSV with a header row, JSON Lines, or a JSON array, optionally gzipped.",
  notSentYet: "Nothing is sent until you confirm.",
  readingFile: "Reading the file",
  notText: "This is not a text file. Choose a CSV or JSON file; a spreadsheet can be saved as CSV.",
  noDocuments: "This file contains no documents. A CSV file needs a header row and at least one more row.",
  damaged: "The file is damaged, or its text has a different encoding.",
  wrongEncoding: "The text of the file has a different encoding. Choose it above.",

  // Problems of a row
  notJSON: "is not valid JSON",
  notObject: "is not a JSON object",
  columnCount: (cells: number, columns: number) => `has ${plural(cells, "column")}; the header row has ${columns}`,
  line: (line: number | string) => `line ${line}`,
  emptyCell: (column: string) => `“${column}” is empty`,
  badDate: (column: string, text: string, format: string) => `“${column}”: “${text}” is not a date in the chosen format (${format})`,
  badCell: (column: string, problem: string) => `“${column}” ${problem}`,
  unnamedColumn: (position: number) => `Column ${position}`,
  repeatedColumn: (column: string, occurrence: number) => `${column} (${occurrence})`,

  // Columns
  columnsTitle: "Map the columns",
  columns: "Columns of the file",
  columnsHead: ["Column", "Field"],
  fieldOf: (column: string) => `Field of ${column}`,
  skipColumn: "Skip",
  required: (field: string) => `${field} (required)`,
  customField: (name: string) => `Custom field “${name}”`,
  fields: {
    contents: "Text",
    date: "Date",
    guid: "ID",
    url: "URL",
    title: "Title",
    author: "Author",
    language: "Language",
    gender: "Gender",
    age: "Age",
    "geolocation.id": "Location ID",
    "geolocation.latitude": "Latitude",
    "geolocation.longitude": "Longitude",
    "geolocation.zipcode": "ZIP code (US)",
    engagementType: "Post type (post, reply, …)",
    parentGuid: "ID of the parent document",
    pageId: "Page ID",
    authorProfileId: "Author ID",
  } as Record<string, string>,
  generatedIds: "No column is mapped to an ID or URL, so each row gets an ID computed from its values. Uploading the same row again replaces the document.",
  dateFormat: "Date format",
  dateFormats: {
    year: "Year first: 2026-01-31 08:30",
    day: "Day first: 31.1.2026 08:30",
    month: "Month first: 1/31/2026 8:30 AM",
    seconds: "Seconds since 1970",
    milliseconds: "Milliseconds since 1970",
  },
  dateTimezone: "Time zone for dates without one",
  readAs: (text: string, time: string | null) =>
    time ? (
      <>
        <code>{text}</code> is read as <strong>{time} UTC</strong>
      </>
    ) : (
      <>
        <code>{text}</code> is <strong class="bad">not a date in this format</strong>
      </>
    ),
  unreadableDates: (count: number, of: number) => `${number(count)} of the first ${rows(of)} have no date in this format.`,
  missing: {
    contents: "Choose the text column.",
    date: "Choose the date column.",
    customFields: (limit: number) => `A content source can have at most ${limit} custom fields. Skip some columns.`,
  },
  previewTitle: "Preview",
  previewLabel: "First documents",
  previewLine: "Line",

  // Check
  check: "Check",
  checkNote: "Checks every row. Nothing is stored yet.",
  checking: "Checking",
  checked: (checked: number, problems: number) => `${rows(checked)} checked, ${number(problems)} with problems`,
  allValid: (count: number) => (count === 1 ? "The row can be uploaded." : `All ${rows(count)} can be uploaded.`),
  someValid: (valid: number, count: number, invalid: number) => `${number(valid)} of ${rows(count)} can be uploaded, ${number(invalid)} cannot.`,
  invalidRows: "Rows that cannot be uploaded",
  invalidRowsHead: ["Line", "Problem", "Row"],
  invalidRowsFile: ["line", "problem", "row"],
  firstProblems: (shown: number, count: number, inFile: number) =>
    `Showing the first ${shown} of ${number(count)}. The CSV file has ${inFile < count ? `the first ${number(inFile)}` : "all of them"}.`,

  // Upload
  upload: (valid: number) => (valid === 1 ? "Upload the valid row" : `Upload ${number(valid)} valid rows`),
  uploadNote: (source: string) => `Documents in ${source} with the same ID are replaced, so uploading a file twice creates no duplicates.`,
  uploading: "Uploading",
  uploadedOf: (sent: number, count: number) => `${number(sent)} of ${documents(count)} uploaded`,
  serverBusy: (seconds: number) => `The server is busy. Retrying in ${plural(seconds, "second")}.`,
  leave: "The upload is not finished. Leave the page and stop it?",
  stopped: "You stopped the upload.",
  stoppedCounts: (sent: number, left: number) => `${documents(sent)} uploaded, ${number(left)} not uploaded.`,
  continueUpload: "Continue upload",
  done: (sent: number, source: string, skipped: number) =>
    `Uploaded ${documents(sent)} to ${source}. ${skipped > 0 ? `${rows(skipped)} skipped.` : "No rows skipped."} The count updates shortly.`,
  contract: (limit: number, used: number) => `Limit: ${documents(limit)} in 24 hours, ${number(used)} used.`,
  nextSteps: "Next steps",
  viewDocuments: "View the documents",
  createMonitor: "Create a monitor for this source",
  createMonitorNote: "A monitor shows the documents, with charts.",
  countedBy: "These monitors cover this source and count the documents that match their queries:",
  moreMonitors: (more: number) => ` and ${number(more)} more`,
  noMonitors: "No monitor counts documents of this source yet.",
  batch: "These documents share a batch ID, which you can use to delete them together:",
  batchDeleted: "The documents of this batch were deleted:",
  copyBatch: "Copy batch ID",
  deleteUpload: "Delete this upload",

  // Recent uploads
  recentTitle: "Uploads from this browser",
  recentNote: "Times are in your time zone.",
  recentList: "List of uploads",
  recentHead: ["File", "Content source", "Documents", "Time", "Batch"],
  deleteDocumentsOf: (file: string) => `Delete the documents of ${file}`,
  deleteBatchTitle: (file: string) => `Delete the documents of ${file}?`,
  deleteDocuments: "Delete documents",
  deleteBatchText: (count: number, source: string) =>
    `This deletes up to ${documents(count)} from ${source}. Documents that a later upload replaced stay. This cannot be undone.`,
  deletingBatch: "Deleting the documents. This takes a moment.",
};
