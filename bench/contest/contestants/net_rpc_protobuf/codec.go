// SPDX-License-Identifier: MIT

package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net/rpc"

	"google.golang.org/protobuf/proto"
)

const maxPiece = 64 << 20

// frames writes and reads what both codecs send: number, text and body, each piece behind its length.
type frames struct {
	connection io.ReadWriteCloser
	reader     *bufio.Reader
	writer     *bufio.Writer
	body       []byte
}

func newFrames(connection io.ReadWriteCloser) frames {
	return frames{
		connection: connection,
		reader:     bufio.NewReaderSize(connection, 64<<10),
		writer:     bufio.NewWriterSize(connection, 64<<10),
	}
}

func (f *frames) Close() error { return f.connection.Close() }

func (f *frames) write(number uint64, text string, body any) error {
	var message []byte
	if body != nil {
		made, ok := body.(proto.Message)
		if ok {
			var err error
			if message, err = proto.Marshal(made); err != nil {
				return err
			}
		}
	}
	head := binary.AppendUvarint(f.writer.AvailableBuffer(), number)
	head = binary.AppendUvarint(head, uint64(len(text)))
	head = append(head, text...)
	head = binary.AppendUvarint(head, uint64(len(message)))
	if _, err := f.writer.Write(head); err != nil {
		return err
	}
	if _, err := f.writer.Write(message); err != nil {
		return err
	}
	return f.writer.Flush()
}

func (f *frames) readPiece(into []byte) ([]byte, error) {
	size, err := binary.ReadUvarint(f.reader)
	if err != nil {
		return nil, err
	}
	if size > maxPiece {
		return nil, fmt.Errorf("read frame: length %d exceeds %d", size, maxPiece)
	}
	if uint64(cap(into)) < size {
		into = make([]byte, size)
	}
	into = into[:size]
	_, err = io.ReadFull(f.reader, into)
	return into, err
}

// read leaves the body for decode.
func (f *frames) read() (number uint64, text string, err error) {
	if number, err = binary.ReadUvarint(f.reader); err != nil {
		return 0, "", err
	}
	named, err := f.readPiece(nil)
	if err != nil {
		return 0, "", err
	}
	f.body, err = f.readPiece(f.body)
	return number, string(named), err
}

func (f *frames) decode(body any) error {
	if body == nil {
		return nil
	}
	return proto.Unmarshal(f.body, body.(proto.Message))
}

type serverCodec struct{ frames }

func (c *serverCodec) ReadRequestHeader(request *rpc.Request) (err error) {
	request.Seq, request.ServiceMethod, err = c.read()
	return err
}

func (c *serverCodec) ReadRequestBody(body any) error { return c.decode(body) }

func (c *serverCodec) WriteResponse(response *rpc.Response, body any) error {
	return c.write(response.Seq, response.Error, body)
}

type clientCodec struct{ frames }

func (c *clientCodec) WriteRequest(request *rpc.Request, body any) error {
	return c.write(request.Seq, request.ServiceMethod, body)
}

func (c *clientCodec) ReadResponseHeader(response *rpc.Response) (err error) {
	response.Seq, response.Error, err = c.read()
	return err
}

func (c *clientCodec) ReadResponseBody(body any) error { return c.decode(body) }
