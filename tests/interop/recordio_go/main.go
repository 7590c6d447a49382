// Command recordio_go lets the Go RecordIO library do what tests and benchmarks ask of it.
//
//	recordio_go                 requests on standard input, one JSON object a line; one answer a line
//	recordio_go measure-OP …    one measured run (measure.go)
//
// A request has "op": "write", "scan", "get" or "trailer"; the fields are those of the struct
// request. An answer has "error" if the library returned one and "panic" if it panicked where that
// can be caught; a panic in a goroutine of the library ends the process. Bytes are base64; items
// lie in files, each behind its length as 8 bytes little-endian.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/grailbio/base/recordio"
	"github.com/grailbio/base/recordio/recordioflate"
	"github.com/grailbio/base/recordio/recordioiov"
	"github.com/grailbio/base/recordio/recordiozstd"
)

type answer map[string]interface{}

// entry is [key in base64, Go type, value as text or (string) in base64].
type entry [3]string

type request struct {
	Op string `json:"op"`

	// write: all layouts
	Out    string `json:"out"`
	Items  string `json:"items"`
	Layout string `json:"layout"` // v2 (also ""), plain, packed
	// Numbers of items behind which to flush; a number may repeat, 0 is before the first item.
	FlushAfter   []int    `json:"flush_after"`
	MaxItems     uint32   `json:"max_items"`
	Transformers []string `json:"transformers"` // packed: at most one
	// write: v2
	Header         []entry `json:"header"`
	PromiseTrailer bool    `json:"promise_trailer"`
	Trailer        *[]byte `json:"trailer"`
	SkipHeader     bool    `json:"skip_header"`
	Append         bool    `json:"append"` // behind what is in the file already
	Parallel       uint32  `json:"parallel"`
	// write: legacy
	Marshal  bool   `json:"marshal"` // give the items as objects
	MaxBytes uint32 `json:"max_bytes"`

	// scan, get, trailer
	In                string     `json:"in"`
	LegacyTransformer string     `json:"legacy_transformer"`
	Shards            int        `json:"shards"` // scan in so many parts; 0: without parts
	Save              string     `json:"save"`   // scan: also write the items to this file
	Locations         [][2]int64 `json:"locations"`
	Following         int        `json:"following"` // get: so many items more behind each
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "recordio_go:", err)
		os.Exit(1)
	}
}

// registerXor adds the transformer "xor N": every byte XOR N, the same both ways.
func registerXor() {
	factory := func(config string) (recordio.TransformFunc, error) {
		key, err := strconv.ParseUint(config, 10, 8)
		if err != nil {
			return nil, err
		}
		return func(scratch []byte, in [][]byte) ([]byte, error) {
			out := recordioiov.Slice(scratch, recordioiov.TotalBytes(in))
			at := 0
			for _, piece := range in {
				for _, b := range piece {
					out[at] = b ^ byte(key)
					at++
				}
			}
			return out, nil
		}, nil
	}
	recordio.RegisterTransformer("xor", factory, factory)
}

// readItems cuts a file of items.
func readItems(path string) ([][]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var items [][]byte
	for len(data) > 0 {
		if len(data) < 8 {
			return nil, io.ErrUnexpectedEOF
		}
		size := binary.LittleEndian.Uint64(data)
		if data = data[8:]; size > uint64(len(data)) {
			return nil, io.ErrUnexpectedEOF
		}
		items = append(items, data[:size:size])
		data = data[size:]
	}
	return items, nil
}

func writeItem(out io.Writer, item []byte) error {
	var size [8]byte
	binary.LittleEndian.PutUint64(size[:], uint64(len(item)))
	if _, err := out.Write(size[:]); err != nil {
		return err
	}
	_, err := out.Write(item)
	return err
}

// respond does one request; what was found before a panic stays in the answer.
func respond(req *request) (found answer) {
	found = answer{}
	defer func() {
		if reason := recover(); reason != nil {
			found["panic"] = fmt.Sprint(reason)
		}
	}()
	var err error
	switch req.Op {
	case "write":
		err = write(req, found)
	case "scan":
		err = scan(req, found)
	case "get":
		err = get(req, found)
	case "trailer":
		err = trailer(req, found)
	default:
		err = fmt.Errorf("unknown op %q", req.Op)
	}
	if err != nil {
		found["error"] = err.Error()
	}
	return found
}

func serve() {
	requests := json.NewDecoder(bufio.NewReader(os.Stdin))
	requests.DisallowUnknownFields()
	answers := json.NewEncoder(os.Stdout)
	for {
		var req request
		err := requests.Decode(&req)
		if err == io.EOF {
			return
		}
		fail(err)
		fail(answers.Encode(respond(&req)))
	}
}

func main() {
	recordioflate.Init()
	recordiozstd.Init()
	registerXor()
	if len(os.Args) < 2 {
		serve()
		return
	}
	measure(os.Args[1], os.Args[2:])
}
