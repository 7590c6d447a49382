package main

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/grailbio/base/recordio"
	"github.com/grailbio/base/recordio/deprecated"
)

func write(req *request, found answer) error {
	items, err := readItems(req.Items)
	if err != nil {
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if req.Append {
		flags = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	}
	out, err := os.OpenFile(req.Out, flags, 0o666)
	if err != nil {
		return err
	}
	switch req.Layout {
	case "", "v2":
		err = writeV2(req, items, out, found)
	case "plain":
		err = writePlain(req, items, out, found)
	case "packed":
		err = writePacked(req, items, out, found)
	default:
		err = fmt.Errorf("unknown layout %q", req.Layout)
	}
	if closing := out.Close(); err == nil {
		err = closing
	}
	return err
}

// feed gives the items to `add`, with the flushes where the request wants them.
func feed(req *request, items [][]byte, add func([]byte) error, flush func() error) error {
	points := req.FlushAfter
	for n := 0; ; n++ {
		for len(points) > 0 && points[0] == n {
			if err := flush(); err != nil {
				return err
			}
			points = points[1:]
		}
		if n == len(items) {
			return nil
		}
		if err := add(items[n]); err != nil {
			return err
		}
	}
}

// headerValue makes a value of the Go type that an entry names.
func headerValue(e entry) (string, interface{}, error) {
	key, err := base64.StdEncoding.DecodeString(e[0])
	if err != nil {
		return "", nil, err
	}
	kind, text := e[1], e[2]
	number := func(bits int) int64 {
		var n int64
		n, err = strconv.ParseInt(text, 10, bits)
		return n
	}
	natural := func(bits int) uint64 {
		var n uint64
		n, err = strconv.ParseUint(text, 10, bits)
		return n
	}
	var value interface{}
	switch kind {
	case "bool":
		value = text == "true"
	case "int":
		value = int(number(64))
	case "int8":
		value = int8(number(8))
	case "int16":
		value = int16(number(16))
	case "int32":
		value = int32(number(32))
	case "int64":
		value = number(64)
	case "uint":
		value = uint(natural(64))
	case "uint8":
		value = uint8(natural(8))
	case "uint16":
		value = uint16(natural(16))
	case "uint32":
		value = uint32(natural(32))
	case "uint64":
		value = natural(64)
	case "float64":
		value, err = strconv.ParseFloat(text, 64)
	case "string":
		var raw []byte
		raw, err = base64.StdEncoding.DecodeString(text)
		value = string(raw)
	default:
		err = fmt.Errorf("unknown type %q", kind)
	}
	return string(key), value, err
}

func writeV2(req *request, items [][]byte, out *os.File, found answer) error {
	locations := [][2]uint64{}
	var mutex sync.Mutex
	writer := recordio.NewWriter(out, recordio.WriterOpts{
		Transformers: req.Transformers, MaxItems: req.MaxItems, MaxFlushParallelism: req.Parallel,
		KeyTrailer: req.PromiseTrailer, SkipHeader: req.SkipHeader,
		Index: func(where recordio.ItemLocation, _ interface{}) error {
			mutex.Lock()
			defer mutex.Unlock()
			locations = append(locations, [2]uint64{where.Block, uint64(where.Item)})
			return nil
		},
	})
	for _, e := range req.Header {
		key, value, err := headerValue(e)
		if err != nil {
			return err
		}
		writer.AddHeader(key, value)
	}
	err := feed(req, items,
		func(item []byte) error { writer.Append(item); return nil },
		func() error { writer.Flush(); return nil })
	if err == nil && req.Trailer != nil {
		writer.SetTrailer(*req.Trailer)
	}
	if finished := writer.Finish(); err == nil {
		err = finished
	}
	found["locations"] = locations
	return err
}

// What callbacks of the legacy writers were given, in the order of the calls: ["record", offset,
// length(, items)], ["item", offset, length], ["flushed"]; then which of object and bytes were
// there.
type calls [][]interface{}

func (c *calls) add(what ...interface{}) { *c = append(*c, what) }

func marshal(_ []byte, v interface{}) ([]byte, error) {
	item, ok := v.([]byte)
	if !ok {
		return nil, errors.New("no bytes")
	}
	return item, nil
}

func writePlain(req *request, items [][]byte, out *os.File, found answer) error {
	var told calls
	writer := deprecated.NewLegacyWriter(out, deprecated.LegacyWriterOpts{
		Marshal: marshal,
		Index: func(offset, length uint64, v interface{}, p []byte) error {
			told.add("record", offset, length, v != nil, p != nil)
			return nil
		},
	})
	err := feed(req, items, func(item []byte) error {
		if req.Marshal {
			_, err := writer.Marshal(item)
			return err
		}
		_, err := writer.Write(item)
		return err
	}, func() error { return nil })
	found["calls"] = told
	return err
}

// legacyTransform makes the transformer of packed records; only flate has a convention.
func legacyTransform(names []string) (func([][]byte) ([]byte, error), error) {
	if len(names) == 0 {
		return nil, nil
	}
	name, argument, _ := strings.Cut(names[0], " ")
	level := flate.DefaultCompression
	if len(names) > 1 || name != "flate" {
		return nil, fmt.Errorf("no transformers %q for packed records", names)
	}
	if argument != "" {
		var err error
		if level, err = strconv.Atoi(argument); err != nil {
			return nil, err
		}
	}
	return func(in [][]byte) ([]byte, error) {
		var out bytes.Buffer
		packer, err := flate.NewWriter(&out, level)
		if err != nil {
			return nil, err
		}
		for _, piece := range in {
			if _, err := packer.Write(piece); err != nil {
				return nil, err
			}
		}
		err = packer.Close()
		return out.Bytes(), err
	}, nil
}

func writePacked(req *request, items [][]byte, out *os.File, found answer) error {
	transform, err := legacyTransform(req.Transformers)
	if err != nil {
		return err
	}
	var told calls
	writer := deprecated.NewLegacyPackedWriter(out, deprecated.LegacyPackedWriterOpts{
		Marshal: marshal, Transform: transform, MaxItems: req.MaxItems, MaxBytes: req.MaxBytes,
		Index: func(offset, length, count uint64) (deprecated.ItemIndexFunc, error) {
			told.add("record", offset, length, count)
			return func(offset, length uint64, v interface{}, p []byte) error {
				told.add("item", offset, length, v != nil, p != nil)
				return nil
			}, nil
		},
		Flushed: func() error { told.add("flushed"); return nil },
	})
	err = feed(req, items, func(item []byte) error {
		if req.Marshal {
			_, err := writer.Marshal(item)
			return err
		}
		_, err := writer.Write(item)
		return err
	}, writer.Flush)
	if err == nil {
		err = writer.Flush()
	}
	found["calls"] = told
	return err
}
