// Checks a catalog's log with Go's own packages for transparency logs: the signature of its checkpoint, its tiles, its
// entries, and a proof for every event and every earlier size, all worked out from what is served as static tiles.
package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type server struct{ prefix, token string }

func (s server) get(path string) []byte {
	request, err := http.NewRequest("GET", s.prefix+"/"+path, nil)
	must(err)
	request.Header.Set("Authorization", "Bearer "+s.token)
	response, err := http.DefaultClient.Do(request)
	must(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must(err)
	if response.StatusCode != 200 {
		log.Fatalf("%s: %s %s", path, response.Status, body)
	}
	return body
}

// tlog-tiles leaves out the height, which is always 8.
func pathOf(tile tlog.Tile) string { return "tile/" + strings.TrimPrefix(tile.Path(), "tile/8/") }

func (s server) Height() int { return 8 }

func (s server) ReadTiles(tiles []tlog.Tile) (data [][]byte, err error) {
	for _, tile := range tiles {
		data = append(data, s.get(pathOf(tile)))
	}
	return data, nil
}

func (s server) SaveTiles([]tlog.Tile, [][]byte) {}

func (s server) entries(tree tlog.Tree) (all [][]byte) {
	for n := int64(0); n*256 < tree.N; n++ {
		width := 256
		if rest := tree.N - n*256; rest < 256 {
			width = int(rest)
		}
		path := strings.Replace(pathOf(tlog.Tile{H: 8, L: 0, N: n, W: width}), "tile/0/", "tile/entries/", 1)
		for rest := s.get(path); len(rest) > 0; {
			length := binary.BigEndian.Uint16(rest)
			all = append(all, rest[2:2+length])
			rest = rest[2+length:]
		}
	}
	return all
}

func (s server) checkpoint(key string) tlog.Tree {
	verifier, err := note.NewVerifier(key)
	must(err)
	opened, err := note.Open(s.get("checkpoint"), note.VerifierList(verifier))
	must(err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	root, err := tlog.ParseHash(lines[2])
	must(err)
	return tlog.Tree{N: size, Hash: root}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	s := server{os.Args[1], os.Args[2]}
	tree := s.checkpoint(os.Args[3])
	hashes := tlog.TileHashReader(tree, s)
	entries := s.entries(tree)
	if int64(len(entries)) != tree.N {
		log.Fatalf("%d entries, and a tree of %d", len(entries), tree.N)
	}
	for n, entry := range entries {
		proof, err := tlog.ProveRecord(tree.N, int64(n), hashes)
		must(err)
		must(tlog.CheckRecord(proof, tree.N, tree.Hash, int64(n), tlog.RecordHash(entry)))
	}
	for size := int64(1); size < tree.N; size += 1 + size/8 {
		earlier, err := tlog.TreeHash(size, hashes)
		must(err)
		proof, err := tlog.ProveTree(tree.N, size, hashes)
		must(err)
		must(tlog.CheckTree(proof, tree.N, tree.Hash, size, earlier))
	}
	fmt.Printf("%d\n", tree.N)
}
