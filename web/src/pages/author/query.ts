// An AuthorQuery says which posts the page of an author shows, in the parameters of the API.
export interface AuthorQuery {
  name: string;
  source: string;
  range: string;
  start: string;
  end: string;
  timezone: string;
}
