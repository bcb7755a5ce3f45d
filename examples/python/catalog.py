"""A client of the metadata catalog with nothing but Python's standard library.

    CATALOG_URL=http://127.0.0.1:8585 CATALOG_TOKEN=... python3 catalog.py

Run by itself it makes a service, changes it, asks what it was, lists, and follows the changes to their end.
The class Catalog is what to take along.
"""

import http.client
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request


class Problem(Exception):
    """What the catalog says when it does not do as asked (RFC 9457)."""

    def __init__(self, status, problem):
        self.status = status
        self.code = problem.get("code", "UNKNOWN")
        self.errors = problem.get("errors", [])
        details = "".join(f"\n  {each['path']} {each['message']}" for each in self.errors)
        super().__init__(f"{status} {problem.get('message', '')}{details}")


class Catalog:
    def __init__(self, url, token, retries=5):
        self.url = url.rstrip("/") + "/api"
        self.token = token
        self.retries = retries

    def call(self, method, path, body=None, query=None, content_type="application/json"):
        """One request; what fails or is refused for the moment is sent again when sending it twice does no harm."""
        query = {name: value for name, value in (query or {}).items() if value is not None}
        url = self.url + path + ("?" + urllib.parse.urlencode(query) if query else "")
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": content_type}
        data = None if body is None else json.dumps(body).encode()
        repeatable = method in ("GET", "PUT")
        for attempt in range(self.retries + 1):
            request = urllib.request.Request(url, data=data, headers=headers, method=method)
            try:
                with self.answer(request) as response:
                    text = response.read()
            except (OSError, http.client.HTTPException):
                if not repeatable or attempt == self.retries:
                    raise
                time.sleep(2**attempt / 4)
                continue
            if response.status < 400:
                return json.loads(text) if text else None
            again = response.status == 429 or (repeatable and response.status in (502, 503, 504))
            if not again or attempt == self.retries:
                is_json = "json" in response.headers.get("Content-Type", "")
                raise Problem(response.status, json.loads(text) if is_json else {"message": text.decode()})
            time.sleep(float(response.headers.get("Retry-After", 2**attempt / 4)))

    @staticmethod
    def answer(request):
        """The answer, also one that refuses."""
        try:
            return urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as refused:
            return refused

    def list(self, path, **query):
        """Every item of a list, page by page."""
        while True:
            page = self.call("GET", path, query={"limit": 100, **query})
            yield from page["data"]
            if "after" not in page["paging"]:
                return
            query["after"] = page["paging"]["after"]

    def events(self, checkpoint, wait=25, **query):
        """Every event after the place in the file, in order; the place is saved after a page is dealt with.

        With wait=0 it ends at the end of the log, else it waits there for more.
        """
        while True:
            after = None
            if os.path.exists(checkpoint):
                with open(checkpoint, encoding="utf-8") as file:
                    after = file.read()
            page = self.call("GET", "/v1/events", query={"after": after, "wait": wait, **query})
            yield from page["data"]
            if page["paging"]["mark"] == after:
                if wait == 0:
                    return
                continue
            with open(checkpoint + ".new", "w", encoding="utf-8") as file:
                file.write(page["paging"]["mark"])
                file.flush()
                os.fsync(file.fileno())
            os.replace(checkpoint + ".new", checkpoint)


def main():
    catalog = Catalog(os.environ.get("CATALOG_URL", "http://127.0.0.1:8585"), os.environ["CATALOG_TOKEN"])
    services = "/v1/services/databaseServices"

    made = catalog.call("PUT", services, {"name": "python", "serviceType": "Postgres", "description": "First."})
    changed = catalog.call(
        "PATCH",
        f"{services}/{made['id']}",
        {"description": "Second."},
        content_type="application/merge-patch+json",
    )
    print("now:", changed["description"], "version", changed["version"])

    before = catalog.call("GET", f"{services}/{made['id']}", query={"asOf": "v0.1"})
    print("before:", before["description"])
    print("all:", [service["name"] for service in catalog.list(services)])

    try:
        catalog.call("POST", services, {"name": "python", "colour": "green"})
    except Problem as problem:
        print("refused:", problem)

    for event in catalog.events("checkpoint", wait=0, entityId=made["id"]):
        print("event:", event["position"], event["type"], event["subject"], "by", event["actor"])


if __name__ == "__main__":
    main()
