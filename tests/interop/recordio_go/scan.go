package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/grailbio/base/recordio"
	"github.com/grailbio/base/recordio/recordioflate"
)

func scannerOptions(req *request) (opts recordio.ScannerOpts, err error) {
	switch req.LegacyTransformer {
	case "":
	case "flate":
		opts.LegacyTransform = recordioflate.FlateUncompress
	default:
		err = fmt.Errorf("no transformer %q for packed records", req.LegacyTransformer)
	}
	return opts, err
}

// describe gives [length, SHA-256].
func describe(item []byte) [2]interface{} {
	sum := sha256.Sum256(item)
	return [2]interface{}{len(item), hex.EncodeToString(sum[:])}
}

func describeHeader(header recordio.ParsedHeader) []entry {
	entries := []entry{}
	for _, pair := range header {
		key := base64.StdEncoding.EncodeToString([]byte(pair.Key))
		text := fmt.Sprint(pair.Value)
		if s, ok := pair.Value.(string); ok {
			text = base64.StdEncoding.EncodeToString([]byte(s))
		}
		entries = append(entries, entry{key, fmt.Sprintf("%T", pair.Value), text})
	}
	return entries
}

// scan reads all items; in parts, "shards" has the items of each.
func scan(req *request, found answer) error {
	if req.Shards == 0 {
		return scanPart(req, 0, 1, 1, found)
	}
	parts := make([]answer, req.Shards)
	found["shards"] = parts
	for n := range parts {
		parts[n] = answer{}
		if err := scanPart(req, n, n+1, req.Shards, parts[n]); err != nil {
			return err
		}
	}
	return nil
}

func scanPart(req *request, start, limit, of int, found answer) error {
	opts, err := scannerOptions(req)
	if err != nil {
		return err
	}
	in, err := os.Open(req.In)
	if err != nil {
		return err
	}
	defer in.Close()
	items := [][2]interface{}{}
	defer func() { found["items"] = items }()
	save := func([]byte) error { return nil }
	if req.Save != "" {
		out, err := os.Create(req.Save)
		if err != nil {
			return err
		}
		defer out.Close()
		buffered := bufio.NewWriter(out)
		defer buffered.Flush()
		save = func(item []byte) error { return writeItem(buffered, item) }
	}
	scanner := recordio.NewShardScanner(in, opts, start, limit, of)
	found["version"] = int(scanner.Version())
	found["header"] = describeHeader(scanner.Header())
	for scanner.Scan() {
		item := scanner.Get().([]byte)
		items = append(items, describe(item))
		if err := save(item); err != nil {
			return err
		}
	}
	return scanner.Finish()
}

// get seeks to each location and reads the item there; each gets an answer of its own, because an
// error of a scanner stays.
func get(req *request, found answer) error {
	opts, err := scannerOptions(req)
	if err != nil {
		return err
	}
	in, err := os.Open(req.In)
	if err != nil {
		return err
	}
	defer in.Close()
	answers := []answer{}
	defer func() { found["items"] = answers }()
	var scanner recordio.Scanner
	for _, location := range req.Locations {
		if scanner == nil || scanner.Err() != nil {
			if _, err := in.Seek(0, 0); err != nil {
				return err
			}
			scanner = recordio.NewScanner(in, opts)
		}
		items := [][2]interface{}{}
		scanner.Seek(recordio.ItemLocation{Block: uint64(location[0]), Item: int(location[1])})
		for n := 0; n <= req.Following && scanner.Scan(); n++ {
			items = append(items, describe(scanner.Get().([]byte)))
		}
		one := answer{"items": items}
		if err := scanner.Err(); err != nil {
			one["error"] = err.Error()
		}
		answers = append(answers, one)
	}
	return nil
}

func trailer(req *request, found answer) error {
	in, err := os.Open(req.In)
	if err != nil {
		return err
	}
	defer in.Close()
	scanner := recordio.NewScanner(in, recordio.ScannerOpts{})
	found["trailer"] = scanner.Trailer() // null if there is none
	return scanner.Finish()
}
